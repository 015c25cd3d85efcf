/**
 * Every link that works once leads here. Its token stands behind the `#`, which never leaves the browser; it is read, and then taken
 * out of the address bar, the history, and whatever remembers either. Nothing happens until the person says so.
 */
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { callAction } from "../client/call-action.ts";
import type { RequestFailure } from "../client/request-failure.ts";
import { LINK_TEXTS } from "../texts/entry-texts.ts";
import { FormError } from "../ui/form-error.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import { InvitationLink } from "./invitation-link.tsx";
import type { LinkView } from "./link-view.ts";
import { ResetLink } from "./reset-link.tsx";
import { SetupLink } from "./setup-link.tsx";
import { SignInLink } from "./sign-in-link.tsx";

const VIEWS = {
  setup: SetupLink,
  "sign-in": SignInLink,
  invitation: InvitationLink,
  "password-reset": ResetLink,
} as const satisfies Record<LinkView["kind"], unknown>;

export function LinkPage() {
  const token = useTakenToken();
  const described = useQuery<LinkView, RequestFailure>({
    queryKey: ["describeLink", token],
    queryFn: ({ signal }) => callAction("describeLink", { body: { token } }, signal),
    enabled: token !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const toSignIn = <ButtonLink to="/sign-in">{LINK_TEXTS.toSignIn}</ButtonLink>;
  if (token === "") {
    return (
      <EntryFrame title={LINK_TEXTS.emptyTitle} lead={LINK_TEXTS.emptyLead}>
        {toSignIn}
      </EntryFrame>
    );
  }
  if (described.data !== undefined) {
    const View = VIEWS[described.data.kind];
    return <View key={token} token={token} link={described.data} />;
  }
  // What the server could not even read tells a person nothing.
  if (described.error?.code === "VALIDATION_ERROR") {
    return (
      <EntryFrame title={LINK_TEXTS.badTitle} lead={LINK_TEXTS.damagedLead}>
        {toSignIn}
      </EntryFrame>
    );
  }
  if (described.error !== null) {
    return (
      <EntryFrame title={LINK_TEXTS.badTitle}>
        <FormError failure={described.error} />
        {toSignIn}
      </EntryFrame>
    );
  }
  return (
    <EntryFrame title={LINK_TEXTS.loading}>
      <LinesSkeleton lines={4} />
    </EntryFrame>
  );
}

function useTakenToken(): string {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const [token, setToken] = useState(hash);
  useEffect(() => {
    if (hash === "") return;
    setToken(hash);
    void navigate({ to: "/link", hash: "", replace: true });
  }, [hash, navigate]);
  return hash === "" ? token : hash;
}
