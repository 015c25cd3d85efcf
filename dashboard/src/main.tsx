import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./query-client.ts";
import { createPageRouter } from "./router.tsx";
import "./styles/mantine-parts.css";
import "./styles/lineup.css";
import { readStyleNonce } from "./style-nonce.ts";
import { printInLight } from "./styles/print-in-light.ts";
import { colorSchemeManager, resolveVariables, theme } from "./theme.ts";
import { LateToastPlace } from "./ui/late-toast-place.tsx";

const nonce = readStyleNonce();
const queryClient = createQueryClient(() => void router.invalidate());
const router = createPageRouter(queryClient);

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no place for the dashboard; index.html must hold #root.");

printInLight();
createRoot(place).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <LateToastPlace />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
