import { defineConfig } from "tsdown";

export default defineConfig({
  entry: "src/index.ts",
  // The oldest that is promised; Bun and Deno know more.
  target: "node20",
  platform: "neutral",
  dts: true,
});
