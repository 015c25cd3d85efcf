/** Compliance › Webhooks › Create: where to, and what of; then its secret, this once, and what the endpoint answers to the first ping. */
import { Button, Group, Paper, Stack } from "@mantine/core";
import { useState } from "react";
import { useOrganization } from "../client/session.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { SECRET_TEXTS, CREATE_WEBHOOK_TEXTS as TEXTS } from "../texts/create-webhook-texts.ts";
import { WEBHOOKS_TEXTS } from "../texts/webhook-texts.ts";
import { FormError } from "../ui/form-error.tsx";
import { BackLink, ButtonLink } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { FirstPing } from "./first-ping.tsx";
import { WebhookFields } from "./webhook-fields.tsx";
import { bodyOf, checkWebhook, NEW_WEBHOOK } from "./webhook-form.ts";
import { type MadeSecret, WebhookReveal } from "./webhook-reveal.tsx";

export function CreateWebhookPage() {
  const { id: orgId } = useOrganization();
  const [made, setMade] = useState<MadeSecret | null>(null);
  if (made !== null) {
    const beneath = <FirstPing orgId={orgId} webhookId={made.id} />;
    return <WebhookReveal orgId={orgId} made={made} title={SECRET_TEXTS.createdTitle} beneath={beneath} />;
  }
  return (
    <>
      <PageHeader
        title={TEXTS.title}
        lead={TEXTS.intro}
        back={
          <BackLink to="/orgs/$orgId/compliance/webhooks" params={{ orgId }}>
            {WEBHOOKS_TEXTS.title}
          </BackLink>
        }
      />
      <CreateWebhookForm orgId={orgId} onMade={setMade} />
    </>
  );
}

interface CreateWebhookFormProps {
  readonly orgId: string;
  readonly onMade: (made: MadeSecret) => void;
}

function CreateWebhookForm({ orgId, onMade }: CreateWebhookFormProps) {
  const { form, onSubmit, isBusy, failure } = useActionForm("createWebhook", {
    initialValues: NEW_WEBHOOK,
    validate: checkWebhook,
    toInput: (values) => ({ path: { orgId }, body: bodyOf(values) }),
    changes: ["listWebhooks"],
    onDone: onMade,
  });
  return (
    <Paper withBorder p="lg" maw={820} component="form" onSubmit={onSubmit} noValidate>
      <Stack gap="xl">
        <WebhookFields form={form} />
        <FormError failure={failure} />
        <Group gap="xs">
          <Button type="submit" loading={isBusy}>
            {TEXTS.submit}
          </Button>
          <ButtonLink variant="default" to="/orgs/$orgId/compliance/webhooks" params={{ orgId }}>
            {TEXTS.cancel}
          </ButtonLink>
        </Group>
      </Stack>
    </Paper>
  );
}
