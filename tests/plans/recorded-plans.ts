import type pg from 'pg'
import type { Database } from '../../src/storage/database.ts'

/** A node of a plan as PostgreSQL reports it after it ran the statement. */
interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Sort Key'?: string[]
  Plans?: PlanNode[]
}

/** Something costly in the plan of a statement. */
export interface Finding {
  kind: 'scan' | 'sort'
  /** The table that is scanned, or the key that rows are sorted by. */
  of: string
  rows: number
  sql: string
}

/** A sequential scan that reads more rows than this is a finding. */
export const MOST_SCANNED = 5_000
/** So is a sort of more rows than this. */
export const MOST_SORTED = 1_000

/** The plans of all statements that run on the connections of a pool, as PostgreSQL's `auto_explain` reports them. */
export interface PlanRecorder {
  /** Number of plans so far. */
  count(): number
  /** The findings since the last call. */
  take(): Finding[]
}

const OPTIONS = {
  log_min_duration: '0',
  log_analyze: 'on',
  log_timing: 'off',
  log_format: 'json',
  // As a notice the plan reaches the client that ran the statement.
  log_level: 'notice',
  log_nested_statements: 'on',
}

/** Makes PostgreSQL report the plans of what `database` runs from now on. */
export async function recordPlans(database: Database): Promise<PlanRecorder> {
  const findings: Finding[] = []
  let plans = 0
  const listen = (client: pg.PoolClient) =>
    client.on('notice', (notice) => {
      const text = notice.message ?? ''
      const at = text.indexOf('plan:\n')
      if (at < 0) return
      plans += 1
      const plan = JSON.parse(text.slice(at + 'plan:\n'.length)) as { 'Query Text': string; Plan: PlanNode }
      collect(plan.Plan, plan['Query Text'], findings)
    })
  const settings = Object.entries(OPTIONS).map(([name, value]) => [`auto_explain.${name}`, value] as const)
  const { rows } = await database.query<{ name: string }>({ text: 'select current_database() as name' })
  for (const [name, value] of [['session_preload_libraries', 'auto_explain'], ...settings])
    await database.query({ text: `alter database ${rows[0]!.name} set ${name} = '${value}'` })
  database.pool.on('connect', listen)
  // The connections that are open already.
  const open: pg.PoolClient[] = []
  while (database.pool.idleCount > 0) open.push(await database.pool.connect())
  for (const client of open) {
    await client.query(`load 'auto_explain'; ${settings.map(([name, value]) => `set ${name} = '${value}'`).join('; ')}`)
    listen(client)
    client.release()
  }
  return { count: () => plans, take: () => findings.splice(0) }
}

/** Rows that a node gave in all its loops. */
const rowsOf = (node: PlanNode): number => (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0)

function collect(node: PlanNode, sql: string, findings: Finding[]): void {
  const children = node.Plans ?? []
  if (node['Node Type'] === 'Seq Scan') {
    const rows = rowsOf(node) + (node['Rows Removed by Filter'] ?? 0) * (node['Actual Loops'] ?? 0)
    if (rows > MOST_SCANNED) findings.push({ kind: 'scan', of: node['Relation Name']!, rows, sql })
  }
  if (node['Node Type'] === 'Sort' || node['Node Type'] === 'Incremental Sort') {
    const rows = children.reduce((sum, child) => sum + rowsOf(child), 0)
    if (rows > MOST_SORTED) findings.push({ kind: 'sort', of: node['Sort Key']!.join(', '), rows, sql })
  }
  for (const child of children) collect(child, sql, findings)
}
