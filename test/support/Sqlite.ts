import { DatabaseSync } from "@photostructure/sqlite"

/** A SQLite file as somebody else would open it, for a look from outside or for damage. */
export class Sqlite {
  private readonly database: InstanceType<typeof DatabaseSync>
  constructor(file: string, { readonly = false }: { readonly readonly?: boolean } = {}) {
    this.database = new DatabaseSync(file, { readOnly: readonly, timeout: 5000 })
  }
  /** The rows of a query. */
  all<Row = Readonly<Record<string, unknown>>>(text: string, ...params: ReadonlyArray<unknown>): Array<Row> {
    return this.database.prepare(text).all(...params)
  }
  /** The first column of a query. */
  values(text: string): ReadonlyArray<unknown> {
    return this.all<Record<string, unknown>>(text).flatMap((row) => Object.values(row).slice(0, 1))
  }
  run(text: string, ...params: ReadonlyArray<unknown>): void {
    this.database.prepare(text).run(...params)
  }
  exec(text: string): void {
    this.database.exec(text)
  }
  close(): void {
    this.database.close()
  }
}
