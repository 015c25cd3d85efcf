import type { RequestView } from "@lineup/api/dashboard/records";
import { Group, Text } from "@mantine/core";
import { useMemo } from "react";
import { REQUESTS_TEXTS } from "../texts/request-texts.ts";
import { CopyIconButton } from "../ui/copy-button.tsx";
import type { Column } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { sayDuration } from "../ui/number-words.ts";
import { useIsPhone } from "../ui/use-is-phone.ts";
import classes from "./request-columns.module.css";
import { RequestStatus } from "./request-status.tsx";

const { columns } = REQUESTS_TEXTS;

export interface RequestColumnsOptions {
  readonly orgId: string;
  /** Without key, address and id: for a key's own page. */
  readonly isShort: boolean;
  readonly isPhone: boolean;
}

export function useRequestColumns(orgId: string, isShort = false): readonly Column<RequestView>[] {
  const isPhone = useIsPhone();
  return useMemo(() => makeRequestColumns({ orgId, isShort, isPhone }), [orgId, isShort, isPhone]);
}

/** On a phone there is one column: the request, with the rest under it. */
function makeRequestColumns(options: RequestColumnsOptions): readonly Column<RequestView>[] {
  const request: Column<RequestView> = {
    key: "request",
    header: columns.request,
    isHeading: true,
    cell: (each) => (
      <div className={classes.request}>
        <RequestLink request={each} {...options} />
        {options.isPhone && <PhoneFacts request={each} isShort={options.isShort} />}
      </div>
    ),
  };
  if (options.isPhone) return [request];
  const short: Column<RequestView>[] = [
    {
      key: "time",
      header: columns.time,
      cell: ({ at }) => <ExactTime at={at} as="moment" isStop={false} />,
    },
    request,
    { key: "status", header: columns.status, cell: (request) => <RequestStatus {...request} /> },
    {
      key: "duration",
      header: columns.duration,
      align: "right",
      cell: ({ durationMs }) => <span className={classes.still}>{sayDuration(durationMs)}</span>,
    },
  ];
  return options.isShort ? short : [...short, ...makeLongColumns(options.orgId)];
}

function makeLongColumns(orgId: string): Column<RequestView>[] {
  return [
    {
      key: "key",
      header: columns.key,
      isTyped: true,
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
  if (isShort) {
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
