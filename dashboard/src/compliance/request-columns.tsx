import type { RequestView } from "@lineup/api/dashboard/records";
import { Group, Text } from "@mantine/core";
import { REQUESTS_TEXTS } from "../texts/request-texts.ts";
import { CopyIconButton } from "../ui/copy-button.tsx";
import type { Column } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { sayDuration } from "../ui/number-words.ts";
import classes from "./request-columns.module.css";
import { RequestStatus } from "./request-status.tsx";

const { columns } = REQUESTS_TEXTS;

export interface RequestColumnsOptions {
  readonly orgId: string;
  /** Without key, address and id: for a key's own page. */
  readonly isShort?: boolean;
}

/** On a phone the request is a line of its own, with the rest under it. */
export function makeRequestColumns(options: RequestColumnsOptions): readonly Column<RequestView>[] {
  const short: Column<RequestView>[] = [
    {
      key: "time",
      header: columns.time,
      hideOnPhone: true,
      cell: ({ at }) => <ExactTime at={at} as="moment" isStop={false} />,
    },
    {
      key: "request",
      header: columns.request,
      isHeading: true,
      cell: (request) => (
        <div className={classes.request}>
          <RequestLink request={request} {...options} />
          <PhoneFacts request={request} isShort={options.isShort ?? false} />
        </div>
      ),
    },
    { key: "status", header: columns.status, hideOnPhone: true, cell: (request) => <RequestStatus {...request} /> },
    {
      key: "duration",
      header: columns.duration,
      align: "right",
      hideOnPhone: true,
      cell: ({ durationMs }) => <span className={classes.still}>{sayDuration(durationMs)}</span>,
    },
  ];
  return options.isShort === true ? short : [...short, ...makeLongColumns(options.orgId)];
}

function makeLongColumns(orgId: string): Column<RequestView>[] {
  return [
    {
      key: "key",
      header: columns.key,
      hideOnPhone: true,
      cell: ({ keyId, keyName, address }) => (
        <>
          <TextLink inherit to="/orgs/$orgId/compliance/keys/$keyId" params={{ orgId, keyId }} lineClamp={1}>
            {keyName ?? REQUESTS_TEXTS.gone}
          </TextLink>
          <Text ff="monospace" size="xs" c="dimmed">
            {address}
          </Text>
        </>
      ),
    },
    {
      key: "id",
      header: columns.id,
      hideOnPhone: true,
      cell: ({ id }) => (
        <Group gap={2} wrap="nowrap">
          <Text span inherit ff="monospace" fz="0.75rem" className={classes.id}>
            {id}
          </Text>
          <CopyIconButton value={id} label={`${REQUESTS_TEXTS.copyId} ${id}`} />
        </Group>
      ),
    },
  ];
}

/** Where a request's row leads: it opens in the list, whose filters stay as they are. */
function RequestLink({ orgId, request, isShort }: { readonly request: RequestView } & RequestColumnsOptions) {
  const words = (
    <>
      <span className={classes.method}>{request.method}</span> {request.target}
    </>
  );
  const looks = { className: classes.link ?? "", ff: "monospace", fz: "0.8125rem" } as const;
  if (isShort === true) {
    const search = { keyId: request.keyId, open: request.id };
    return (
      <TextLink inherit {...looks} to="/orgs/$orgId/compliance/requests" params={{ orgId }} search={search}>
        {words}
      </TextLink>
    );
  }
  return (
    <TextLink
      inherit
      {...looks}
      from="/orgs/$orgId/compliance/requests"
      search={(previous) => ({ ...previous, open: request.id })}
      resetScroll={false}
    >
      {words}
    </TextLink>
  );
}

function PhoneFacts({ request, isShort }: { readonly request: RequestView; readonly isShort: boolean }) {
  return (
    <div className={classes.phone}>
      <RequestStatus {...request} />
      <Text size="xs" c="dimmed" component="div" fw={400}>
        <ExactTime at={request.at} as="moment" isStop={false} /> · {sayDuration(request.durationMs)}
        {!isShort && ` · ${request.keyName ?? REQUESTS_TEXTS.gone}`}
      </Text>
    </div>
  );
}
