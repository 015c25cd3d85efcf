/**
 * Queries as texts for SQLite. It looks at the value of a parameter that stands for a limit, or that something is to be like, when it
 * makes its plan; so as to be right for the next one too, it parses and plans the statement again each time such a value is given, which
 * takes several times as long as most queries do. It does not look into a sum, nor into a text that is joined (`search-text.ts`).
 */
import { type LimitNode, SqliteQueryCompiler, ValueNode } from "kysely";

export class PlannedOnceCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    if (ValueNode.is(node.limit)) this.append(" + 0");
  }
}
