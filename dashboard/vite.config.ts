import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/",
  plugins: [react()],
  build: {
    outDir: "dist",
    sourcemap: false,
    // The first versions that know light-dark(); written out for older ones, it would not follow the chosen scheme.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // Every browser that can show these pages preloads modules by itself.
    modulePreload: { polyfill: false },
    // Nothing is put inside the page or the styles: what is served is what the policy allows, files of our own origin.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { "/internal": "http://localhost:3000" } },
});
