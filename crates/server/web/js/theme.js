// Before anything is drawn: the colours that were chosen the last time, so that nothing flashes.
try {
  const theme = localStorage.getItem("assay.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // The reader's own scheme then.
}
