/** Coming in and going out. Nothing that one person has read stays in the page for the next. */
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { sessionQuery } from "./session.ts";
import { useActionMutation } from "./use-action.ts";

/** To be called once the server has let somebody in; leads to `href`. */
export function useEnter(): (href: string) => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async (href) => {
    queryClient.clear();
    const { forgetRecords } = await import("../records/record-cache.ts");
    forgetRecords();
    await queryClient.ensureQueryData(sessionQuery);
    await router.navigate({ href, replace: true });
  };
}

/** To be called once the server has let nobody stay. The page is loaded anew, and with it goes all it held. */
export function leave(): void {
  window.location.replace("/sign-in");
}

export function useSignOut() {
  return useActionMutation("signOut", { onDone: leave });
}
