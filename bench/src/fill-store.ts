/** Fills a store and ends, so that the server that is measured on it has only ever served. */
import { readConfig } from "@lineup/server/config";
import { openStore } from "@lineup/server/store/open-store";
import { answerParent } from "./child.ts";
import { SECRET } from "./fill-organization.ts";
import { type Fixture, fillStore, type WantedFixture } from "./fixture.ts";

export interface StorePlace {
  readonly dataDir: string;
  /** Where data is kept, if not in the folder. */
  readonly databaseUrl?: string;
}

answerParent({
  fill: async ({ dataDir, databaseUrl, ...wanted }: StorePlace & WantedFixture): Promise<Fixture> => {
    const { store } = await openStore(
      readConfig({ LINEUP_DATA_DIR: dataDir, LINEUP_DATABASE_URL: databaseUrl, LINEUP_SECRET: SECRET }),
    );
    try {
      return await fillStore(store, wanted);
    } finally {
      await store.close();
    }
  },
});
