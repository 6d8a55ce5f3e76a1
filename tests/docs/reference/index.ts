import { commandsPage } from './commands.ts'
import { errorsPage } from './errors.ts'
import { eventsPage } from './events.ts'
import { routesPage } from './routes.ts'
import { tablesPage } from './tables.ts'

/** The pages of `docs/reference`, as they should stand. */
const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/commands.md': commandsPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/routes.md': routesPage,
  'docs/reference/tables.md': tablesPage,
}

export async function freshReference(): Promise<ReadonlyMap<string, string>> {
  return new Map(
    await Promise.all(
      Object.entries(PAGES).map(
        async ([path, make]) =>
          [
            path,
            `<!-- Made from what the plugins declare: node tests/docs/generate.ts -->\n\n${await make()}\n`,
          ] as const,
      ),
    ),
  )
}
