// Runs before the first paint. What is kept here is written by the Appearance page; the key is COLOR_SCHEME_KEY of src/theme.ts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("lineup-color-scheme");
  } catch {
    // Storage is forbidden: follow the system.
  }
  const isDark = chosen === "dark" || (chosen !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
