import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { err, failure, messageOf, ok, type Failure, type Result } from '@amodal/kernel'
import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser'
import { z } from 'zod'

const PluginObject = z.union([
  z.object({ use: z.string(), config: z.unknown().optional(), as: z.string().optional(), replaces: z.string().optional(), optional: z.boolean().optional(), trusted: z.boolean().optional() }).strict(),
  z.object({ without: z.string(), unsafe: z.boolean().optional() }).strict(),
])
export const PluginItem = z.union([z.string(), z.tuple([z.string(), z.unknown()]), PluginObject])
export type PluginItem = z.output<typeof PluginItem>

const Runtime = z.object({
  leaseMs: z.number().int().min(200), marginMs: z.number().int().min(0), stalenessMs: z.number().int().min(200), sweepMs: z.number().int().min(50), pollMs: z.number().int().min(20),
  firstPartMs: z.number().int().min(1), stallMs: z.number().int().min(1), storeMs: z.number().int().min(1), toolMs: z.number().int().min(1), maxTurns: z.number().int().min(1),
  parallelCalls: z.number().int().min(1), residentChars: z.number().int().min(0), outputChars: z.number().int().min(1), replyChars: z.number().int().min(1), drainMs: z.number().int().min(0), sessionTtlMs: z.number().int().min(0),
}).partial().strict()

const Wiring = z.object({
  preset: z.string().optional(),
  plugins: z.array(PluginItem).default([]),
  runtime: Runtime.default({}),
  stores: z.object({ backend: z.enum(['pglite', 'postgres']).optional(), dataDir: z.string().optional(), postgresUrl: z.string().optional(), connectionString: z.string().optional() }).loose().optional(),
}).loose()

/** The part of amodal.json that says how the agent is wired; `repo-files` reads the rest. */
export type Wiring = z.output<typeof Wiring>

/** Where a folder keeps its manifest. */
export const MANIFESTS = ['amodal.json', '.amodal/config.json'] as const

/**
 * Reads the wiring of an agent folder.
 *
 * @param dir folder of the agent, absolute or relative to the working directory
 * @returns the wiring and the file it is from; `UNREADABLE` or `BAD_REPO`, naming file, line and field
 */
export async function readWiring(dir: string): Promise<Result<{ readonly wiring: Wiring; readonly file: string }, Failure>> {
  const root = resolve(dir)
  try {
    if (!(await stat(root)).isDirectory()) return err(failure('UNREADABLE', `${root} is no folder`))
  } catch (cause) {
    return err(failure('UNREADABLE', `the agent folder ${root} cannot be read: ${messageOf(cause)}`))
  }
  for (const name of MANIFESTS) {
    const file = join(root, name)
    const text = await readFile(file, 'utf8').catch((cause: unknown) => (isMissing(cause) ? undefined : err(failure('UNREADABLE', `${file} cannot be read: ${messageOf(cause)}`))))
    if (text === undefined) continue
    if (typeof text !== 'string') return text
    return readText(text, file)
  }
  return err(failure('BAD_REPO', `there is no amodal.json in ${root}; an agent folder has one with at least {"name": "…"}`))
}

function readText(text: string, file: string): Result<{ readonly wiring: Wiring; readonly file: string }, Failure> {
  const errors: ParseError[] = []
  const raw: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) return err(failure('BAD_REPO', `${file}:${lineOf(text, first.offset)}: broken JSON (${printParseErrorCode(first.error)})`))
  const read = Wiring.safeParse(raw)
  if (read.success) return ok({ wiring: read.data, file })
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`)
  return err(failure('BAD_REPO', `${file}: ${problems.join('; ')}`))
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
const isMissing = (cause: unknown): boolean => typeof cause === 'object' && cause !== null && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
