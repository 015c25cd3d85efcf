/** Leaves nothing of the person's in the page: all that was read is forgotten. */
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { sessionQuery } from "./session.ts";
import { useActionMutation } from "./use-action.ts";

/** To be called once the server has changed who is signed in; leads to `href`. */
export function useEnter(): (href: string) => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async (href) => {
    queryClient.clear();
    await queryClient.ensureQueryData(sessionQuery);
    await router.navigate({ href, replace: true });
  };
}

export function useSignOut() {
  const enter = useEnter();
  return useActionMutation("signOut", { onDone: () => enter("/sign-in") });
}
