// The theme's buttons that open a branch of the sidebar have no name for a screen reader, and the
// name of its search button lacks the shortcut that the button shows.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll(".bd-sidebar summary")) {
    button.setAttribute("aria-label", "show or hide the pages below");
  }
  for (const button of document.querySelectorAll(".search-button-field")) {
    button.setAttribute("aria-label", "Search Ctrl+K");
  }
});
