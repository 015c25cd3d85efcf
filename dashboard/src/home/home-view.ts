import type { ActionResult } from "@lineup/api/dashboard/actions";

export type HomeView = ActionResult<"getHome">;
