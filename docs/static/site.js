// What the theme leaves out for the keyboard and for screen readers: levels and names of parts,
// focus for what scrolls, and a place inside the main part for the link back to the top.
document.addEventListener("DOMContentLoaded", () => {
  const setAll = (parts, name, value) =>
    document.querySelectorAll(parts).forEach((part) => part.setAttribute(name, value));
  setAll(".caption[role=heading]", "aria-level", "2");
  setAll(".sidebar-drawer", "aria-label", "pages");
  setAll(".toc-drawer", "aria-label", "this page");
  const [main, back] = ["[role=main]", ".back-to-top"].map((part) => document.querySelector(part));
  if (main && back) main.append(back);
  setAll("pre, .table-wrapper, .math-wrapper", "tabindex", "0");
});
