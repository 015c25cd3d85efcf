/** A map that holds so many entries and no more: what was put in longest ago makes room for what is new. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    const oldest = this.size >= this.#max ? this.keys().next() : undefined;
    if (oldest?.done === false) this.delete(oldest.value);
    return super.set(key, value);
  }
}
