import { trySync } from '@amodal/kernel'
import type { Migration, MigrationList } from '../ports/database.ts'

const CREATE = /create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?"?([\w.]+)"?/gi

/** The tables that a list of migrations makes, sorted; those of a step that throws are left out. */
export function tablesOf({ migrations, tenantTables }: MigrationList): readonly string[] {
  const created = migrations.flatMap((migration) =>
    [...scriptOf(migration).matchAll(CREATE)].map(([, table = '']) => table),
  )
  return [...new Set([...tenantTables, ...created])].toSorted()
}

function scriptOf(migration: Migration): string {
  if ('sql' in migration) return migration.sql
  const script = trySync(
    () =>
      migration
        .define()
        .map((step) => ('compile' in step ? step.compile() : step).sql)
        .join(';\n'),
    () => '',
  )
  return script.ok ? script.value : ''
}
