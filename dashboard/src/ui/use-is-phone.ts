import { useMediaQuery } from "@mantine/hooks";

/** As wide as the styles' phone: where tables turn into cards. */
export function useIsPhone(): boolean {
  return useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) === true;
}
