/** Names and values of one thing, as a description list. FactList { facts: { name, value }[] } */
import type { ReactNode } from "react";
import classes from "./fact-list.module.css";

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes.list}>
      {facts.map(({ name, value }) => (
        <div key={name} className={classes.fact}>
          <dt className={classes.name}>{name}</dt>
          <dd className={classes.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
