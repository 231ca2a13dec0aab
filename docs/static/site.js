// What the theme leaves out for the keyboard and for screen readers: levels and names of parts, and
// focus for what scrolls.
document.addEventListener("DOMContentLoaded", () => {
  const setAll = (parts, name, value) =>
    document.querySelectorAll(parts).forEach((part) => part.setAttribute(name, value));
  setAll(".caption[role=heading]", "aria-level", "2");
  setAll(".sidebar-drawer", "aria-label", "pages");
  setAll(".toc-drawer", "aria-label", "this page");
  setAll("pre, .table-wrapper, .math-wrapper", "tabindex", "0");
});
