// The theme's buttons that open a branch of the sidebar have no name for a screen reader.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll(".bd-sidebar summary")) {
    button.setAttribute("aria-label", "show or hide the pages below");
  }
});
