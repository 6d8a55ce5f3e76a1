import { posix } from 'node:path'
import { isObject, type Json } from '@amodal/sdk'
import { didYouMean } from '@amodal/sdk/files'
import { z } from 'zod'
import type { ModuleFacts } from './module-facts.ts'
import type { PageProblem } from './protocol.ts'

/** What becomes an address and a part of a file's name. */
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/
const name = z.string().regex(NAME, 'needs letters, digits, "_" and "-", at most 64 characters')
const names = z.array(z.string().min(1)).max(100)

const Config = z.object({
  name: name.exactOptional(),
  title: z.string().min(1).max(200).exactOptional(),
  description: z.string().max(1_000).exactOptional(),
  stores: names.exactOptional(),
  automations: names.exactOptional(),
  icon: z.string().max(64).exactOptional(),
  hidden: z.boolean().exactOptional(),
  context: z.record(z.string(), z.enum(['string', 'number', 'boolean'])).exactOptional(),
})

/** The config of a page, as its file says it. */
export type PageConfig = z.output<typeof Config> & { readonly name: string }

/** `pages/ops-dashboard.tsx` is `ops-dashboard`. */
export const fileName = (file: string): string => posix.basename(file).replace(/\.\w+$/, '')

/** What of a page's config was found, and what is wrong with it. */
export interface ReadConfig {
  readonly config: PageConfig | undefined
  readonly problems: readonly PageProblem[]
  readonly warnings: readonly PageProblem[]
}

/** Checks the literal that a page exports as `page`. */
export function readConfig(file: string, { config = {}, lineOf }: ModuleFacts): ReadConfig {
  const parsed = Config.safeParse(config)
  if (!parsed.success)
    return { config: undefined, problems: wrong(file, parsed.error, lineOf), warnings: [] }
  const pageName = parsed.data.name ?? fileName(file)
  return {
    config: NAME.test(pageName) ? { ...parsed.data, name: pageName } : undefined,
    problems: NAME.test(pageName)
      ? []
      : [
          {
            file,
            line: 1,
            message: `"${pageName}" is no name for a page`,
            fix: 'rename the file, or write `name`: letters, digits, "_" and "-", at most 64',
          },
        ],
    warnings: unknownFields(file, config, lineOf),
  }
}

const wrong = (
  file: string,
  { issues }: z.ZodError,
  lineOf: (path: string) => number,
): readonly PageProblem[] =>
  issues.map(({ path, message }) => {
    const place = path.map(String).join('.')
    return {
      file,
      line: lineOf(place),
      message: `\`${place === '' ? 'page' : `page.${place}`}\`: ${message}`,
      fix: 'see `amodal docs pages#page-config`',
    }
  })

function unknownFields(
  file: string,
  config: Json,
  lineOf: (path: string) => number,
): readonly PageProblem[] {
  const known = Object.keys(Config.shape)
  if (!isObject(config)) return []
  return Object.keys(config)
    .filter((field) => !known.includes(field))
    .map((field) => {
      const meant = didYouMean(field, known)
      return {
        file,
        line: lineOf(field),
        message: `\`page.${field}\` is not a known field`,
        fix: meant === undefined ? 'remove it' : `did you mean \`${meant}\`?`,
      }
    })
}
