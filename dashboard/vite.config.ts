import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/",
  plugins: [react()],
  build: {
    outDir: "dist",
    sourcemap: false,
    // Every browser that can show these pages preloads modules by itself.
    modulePreload: { polyfill: false },
    // Nothing is put inside the page or the styles: what is served is what the policy allows, files of our own origin.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { "/internal": "http://localhost:3000" } },
});
