import type { SecretBox } from '../../process/secret-box.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

/** The kinds of things that a world file names by key. */
export type ItemKind = 'user' | 'app' | 'post' | 'list' | 'community' | 'webhook' | 'message' | 'group' | 'ads_account'

/** Secrets of a thing that are stored as digests elsewhere. */
export interface ItemSecrets {
  password?: string
  client_secret?: string
  /** Made by the server: an export leaves them out. */
  generated?: boolean
  /** By the id of the app. */
  oauth2?: Record<string, { access: string; refresh: string | null }>
}

const itemsRead = statement(
  'world_items_read',
  { kind: 'text', key: 'text', id: 'int8', sealed: 'bytea?' },
  `select i.kind, i.key, i.id, i.sealed from unnest($1::text[], $2::text[]) as k (kind, key) join world_item i using (kind, key)`,
)
const itemsOfKind = statement(
  'world_items_of_kind',
  { key: 'text', id: 'int8', sealed: 'bytea?' },
  'select key, id, sealed from world_item where kind = $1 order by number limit $2',
)
const itemsWrite = statement(
  'world_items_write',
  {},
  `insert into world_item (kind, key, id, sealed) select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[])
   on conflict (kind, key) do update set id = excluded.id, sealed = excluded.sealed`,
)

interface Item {
  id: string
  secrets: ItemSecrets
}
interface NewItem {
  kind: ItemKind
  key: string
  id: string
  secrets?: ItemSecrets
}

/** What earlier world files made, by kind and key, and what this one adds. */
export class WorldItems {
  readonly #known = new Map<string, Item>()
  readonly #added = new Map<string, NewItem>()

  static async load(
    tx: Tx,
    secretBox: SecretBox,
    names: readonly { kind: ItemKind; key: string }[],
  ): Promise<WorldItems> {
    const items = new WorldItems()
    const rows = await itemsRead.all(
      tx,
      names.map((name) => name.kind),
      names.map((name) => name.key),
    )
    for (const row of rows)
      items.#known.set(`${row.kind} ${row.key}`, { id: row.id, secrets: openSecrets(secretBox, row.sealed) })
    return items
  }

  find(kind: ItemKind, key: string): Item | undefined {
    return this.#known.get(`${kind} ${key}`)
  }

  /** Notes what a key stands for; nothing is written if that is known. */
  keep(item: NewItem): void {
    const known = this.find(item.kind, item.key)
    const secrets = item.secrets ?? known?.secrets ?? {}
    if (known && known.id === item.id && JSON.stringify(known.secrets) === JSON.stringify(secrets)) return
    this.#known.set(`${item.kind} ${item.key}`, { id: item.id, secrets })
    this.#added.set(`${item.kind} ${item.key}`, { ...item, secrets })
  }

  async store(tx: Tx, secretBox: SecretBox): Promise<void> {
    const added = [...this.#added.values()]
    if (added.length === 0) return
    await itemsWrite.count(
      tx,
      added.map((item) => item.kind),
      added.map((item) => item.key),
      added.map((item) => item.id),
      added.map(({ secrets = {} }) =>
        Object.keys(secrets).length === 0 ? null : secretBox.seal(JSON.stringify(secrets)),
      ),
    )
  }
}

function openSecrets(secretBox: SecretBox, sealed: Buffer | null): ItemSecrets {
  return sealed === null ? {} : (JSON.parse(secretBox.open(sealed)) as ItemSecrets)
}

/** The things of a kind that world files made, in the order in which the files name them. */
export async function itemsMade(
  db: Db,
  secretBox: SecretBox,
  kind: ItemKind,
  most: number,
): Promise<{ key: string; id: string; secrets: ItemSecrets }[]> {
  const rows = await itemsOfKind.all(db, kind, most)
  return rows.map(({ key, id, sealed }) => ({ key, id, secrets: openSecrets(secretBox, sealed) }))
}
