/** What `npm run bench -- --help` says. */
import { CASE_NAMES } from "./cases.ts";

export const HELP = `Usage: npm run bench -- [options]

Measures Lineup (key, limits, permission, store and log on) beside bare node:http
answering the same bytes, in one run, once on the embedded store and once on a
PostgreSQL and a Redis that it starts for the run. Takes eight to ten minutes, and
longer where the machine's host keeps the processors to itself.

  --quick            a first impression in about a minute, of the embedded store alone
  --case NAME        only this case, repeatable:
                     ${CASE_NAMES.join(", ")}
  --embedded         only the embedded store, without PostgreSQL and Redis
  --request-log      also without the request log, to show what that costs
  --seconds N        how long a round loads each server (default 2; some cases less)
  --rounds N         rounds a case, of which medians are taken (default 5)
  --connections N    keep-alive connections, one request under way on each (default 32)

What it leaves
  --json FILE        also write every round and all ratios to this file
  --write            renew bench/results/latest.json and docs/images/bench.svg; of a whole run only
  --profile FOLDER   also write CPU profiles of Lineup into this folder; they slow it down
  --data FOLDER      where stores are made, on the disk to be measured (default bench/data)

What makes it fail (exit 1)
  --require SHARE      unless the reads reach this share of bare's requests a second
  --require-cpu TIMES  unless the reads take at most so many times bare's processor time
  --require-log SHARE  unless with its log Lineup reads at this share of what it does without
  --require-promises   unless everything that is promised holds

Other measurements, each instead of the above
  --grow             one million players beside one thousand: processor time, memory, start
    --players N --organizations N --keys N --log-rows N
                     how large (default 1000000, 1000, 10000 and 5000000)
    --keep           keep the large store in --data, and use it again next time
  --large-list       lists of 10,000: first byte, memory, and what others notice of it
  --postgres-creates creates on PostgreSQL beside a plain loop: one organization, and 32

  --help             this text
`;
