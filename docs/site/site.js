// What the theme leaves out for readers with a keyboard or a screen reader, as axe-core names it.
"use strict";

for (const caption of document.querySelectorAll("[role=heading]:not([aria-level])")) caption.ariaLevel = "2";
document.querySelector(".sidebar-drawer").ariaLabel = "All pages";
document.querySelector(".toc-drawer").ariaLabel = "This page";

// A table of Markdown has a row of headings, also an empty one.
for (const row of document.querySelectorAll("thead tr")) {
  const empty = [...row.cells].filter(cell => !cell.textContent.trim());
  if (empty.length === row.cells.length) row.remove();
  else for (const cell of empty) cell.replaceWith(document.createElement("td"));
}

// The page of results has no heading of its own.
const article = document.querySelector("article");
if (!document.querySelector("h1")) {
  const heading = document.createElement("h1");
  heading.textContent = "Search";
  article.prepend(heading);
}

// A box that scrolls is scrolled by keys too.
const sizes = new ResizeObserver(entries => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const box of article.querySelectorAll("pre, .table-wrapper")) sizes.observe(box);
