import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import {
  type AgentBundle,
  type BundleFile,
  isObject,
  type Json,
  type JsonObject,
  messageOf,
  ok,
  trySync,
} from '@amodal/sdk'
import {
  Issues,
  TAKEN_FIX,
  takenMessage,
  TakenNames,
  tellUnread,
  unreadName,
} from '@amodal/sdk/files'
import type { AgentCode } from './grants/agent-code.ts'
import type { AgentJson } from './grants/agent-json.ts'
import { readAgentFiles } from './grants/read-agent-files.ts'
import { mainGrantsPart } from './grants/grants.ts'
import { readMainGrants } from './grants/main-grants.ts'
import { complete, type Definition, MOST_LEVELS } from './definition.ts'
import { ELSEWHERE, FIELDS, LIMITS, SPELLINGS } from './fields.ts'

const FOLDER = /^(?:amodal\/)?agents\/([^/]+)\/AGENT\.md$/
const FLAT = /^(?:amodal\/)?agents\/([^/]+)\.md$/
const NAME = /^[\w-]{1,64}$/
/** Their text is the prompt as it stands, headings and all. */
const OVERRIDES: ReadonlySet<string> = new Set(['explore', 'plan'])

/**
 * Reads `agents/<name>/AGENT.md`, and the flat `agents/<name>.md` of older repos, in both forms:
 * frontmatter, or headings (`# Agent:`, `## Config`, `## Prompt`). What cannot be used is named
 * with its line; the rest loads.
 *
 * @returns the bundle with its sub-agents, or `undefined` where it has none
 */
export async function readAgents(
  bundle: AgentBundle,
  code: AgentCode | undefined,
): Promise<AgentBundle | undefined> {
  const issues = new Issues()
  const main = await readMainGrants(bundle, code, issues)
  const agents = new Map<string, Definition>()
  const names = new TakenNames()
  names.take(['main'], 'agents/main')
  for (const { name, file, folder } of placesOf(bundle.files)) {
    if (agents.has(name) && !folder)
      issues.warn('BAD_REPO', `the agent "${name}" is there as a folder, which counts`, {
        file: file.path,
        line: 1,
        fix: 'delete this file',
      })
    else if (!NAME.test(name))
      issues.error(
        'BAD_REPO',
        `"${name}" is no name for an agent: letters, digits, "_" and "-", at most 64`,
        { file: file.path, line: 1, fix: `rename the ${folder ? 'folder' : 'file'}` },
      )
    else {
      const agent = hasOwnName(name, file.path, names, issues)
        ? await readEither(name, file, { bundle, code, folder }, issues)
        : undefined
      if (agent) agents.set(name, agent)
    }
  }
  if (agents.size === 0 && !main && issues.sorted().length === 0) return undefined
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: {
      ...bundle.parts,
      ...(main && mainGrantsPart(main)),
      subagents: [...agents.values()].map((agent): JsonObject => ({ ...agent })),
    },
  }
}

/** Models name agents, and confuse those whose names differ in case only. */
function hasOwnName(name: string, file: string, names: TakenNames, issues: Issues): boolean {
  const plain = name.toLowerCase()
  const taken =
    OVERRIDES.has(plain) && name !== plain
      ? { name, by: `the agent "${plain}", which is always there` }
      : names.take([name], file)
  if (taken)
    issues.error('DUPLICATE_NAME', takenMessage(`the agent "${name}"`, taken), {
      file,
      line: 1,
      fix: TAKEN_FIX,
    })
  return taken === undefined
}

/** Folders first: they win over flat files of the same name. */
function placesOf(
  files: readonly BundleFile[],
): readonly { readonly name: string; readonly file: BundleFile; readonly folder: boolean }[] {
  const places = files.flatMap((file) => {
    const name = FOLDER.exec(file.path)?.[1]
    const flat = name === undefined ? FLAT.exec(file.path)?.[1] : undefined
    if (name !== undefined) return [{ name, file, folder: true }]
    return flat === undefined || /^readme$/i.test(flat) ? [] : [{ name: flat, file, folder: false }]
  })
  return [
    ...places.filter(({ folder }) => folder),
    ...places.filter(({ folder }) => !folder),
  ].filter(({ name, folder }) => name !== 'main' && !(folder && name === 'default'))
}

interface Surroundings {
  readonly bundle: AgentBundle
  readonly code: AgentCode | undefined
  readonly folder: boolean
}

/** An agent whose limits stand in the `agent.json` beside it, or in its own text. */
async function readEither(
  name: string,
  file: BundleFile,
  { bundle, code, folder }: Surroundings,
  issues: Issues,
): Promise<Definition | undefined> {
  const result = folder
    ? await readAgentFiles(file.path, bundle, code, issues)
    : ok<AgentJson | undefined>(undefined)
  if (result.ok && !result.value) return readAgent(name, file, issues)
  const read = result.ok ? result.value : undefined
  const prompt = file.text.replaceAll('\r\n', '\n').trim()
  if (prompt === '')
    issues.error('BAD_REPO', `the agent "${name}" has no prompt and is left out`, {
      file: file.path,
      line: 1,
      fix: 'write what it does',
    })
  if (!read || prompt === '') return undefined
  const { fields, grants } = read
  const levels = grants.subagents.length > 0 ? { maxDepth: MOST_LEVELS } : {}
  return complete({ ...levels, ...fields, name, prompt, file: file.path, grants })
}

/** The parts of a file: where its fields stand, and its prompt. */
interface Parts {
  readonly title?: string
  readonly said?: string
  readonly fields: readonly string[]
  /** Line of the file on which the fields begin. */
  readonly at: number
  readonly prompt: string
}

function readAgent(
  name: string,
  { path: file, text }: BundleFile,
  issues: Issues,
): Definition | undefined {
  const parts = partsOf(text.replaceAll('\r\n', '\n').split('\n'), OVERRIDES.has(name))
  if (!parts)
    return void issues.error('BAD_REPO', 'the frontmatter is not closed', {
      file,
      line: 1,
      fix: 'put --- on a line of its own after the last field',
    })
  if (parts.prompt === '')
    return void issues.error('BAD_REPO', `the agent "${name}" has no prompt and is left out`, {
      file,
      line: 1,
      fix: 'write what it does below its fields, or under "## Prompt"',
    })
  const fields = readFields(parts, file, issues)
  if (!fields) return undefined
  const { title, said } = parts
  return complete({
    ...(title ? { displayName: title } : {}),
    ...(said ? { description: said } : {}),
    ...fields,
    name,
    prompt: parts.prompt,
    file,
  })
}

function partsOf(lines: readonly string[], raw: boolean): Parts | undefined {
  if (/^---\s*$/.test(lines[0] ?? '')) {
    const end = lines.findIndex((line, index) => index > 0 && /^---\s*$/.test(line))
    return end === -1
      ? undefined
      : {
          fields: lines.slice(1, end),
          at: 2,
          prompt: lines
            .slice(end + 1)
            .join('\n')
            .trim(),
        }
  }
  const prompt = raw ? -1 : heading(lines, /^##\s+prompt\s*$/i)
  if (prompt === -1) return { fields: [], at: 1, prompt: lines.join('\n').trim() }
  const config = heading(lines, /^##\s+config\s*$/i)
  const top = heading(lines, /^#\s+/)
  const head = [config, prompt].filter((at) => at !== -1)
  const title = top === -1 ? undefined : lines[top]?.replace(/^#\s+(agent:\s*)?/i, '').trim()
  const said = lines
    .slice(top + 1, Math.min(...head))
    .join(' ')
    .trim()
    .replaceAll(/\s+/g, ' ')
  return {
    ...(title === undefined ? {} : { title }),
    said,
    at: config + 2,
    prompt: lines
      .slice(prompt + 1)
      .join('\n')
      .trim(),
    fields: config === -1 || config > prompt ? [] : lines.slice(config + 1, prompt),
  }
}

const heading = (lines: readonly string[], which: RegExp): number =>
  lines.findIndex((line) => which.test(line))

// with the first fields, not with every start
const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml

/** Fields that fit; each that does not is named, and stays what it is without the file. */
function readFields(
  { fields: lines, at }: Parts,
  file: string,
  issues: Issues,
): Partial<Definition> | undefined {
  const parsed = trySync(
    (): Json => {
      const document = yaml().parseDocument(lines.join('\n'), {
        schema: 'core',
        logLevel: 'silent',
      })
      const [problem] = document.errors
      if (problem)
        throw new Error(problem.message.split('\n')[0], { cause: problem.linePos?.[0].line })
      return document.toJS() as Json // the core schema knows nothing but JSON
    },
    (cause) => ({
      message: messageOf(cause),
      line: cause instanceof Error && typeof cause.cause === 'number' ? cause.cause : 1,
    }),
  )
  if (!parsed.ok)
    return void issues.error('BAD_REPO', `the fields are no valid YAML: ${parsed.error.message}`, {
      file,
      line: at + parsed.error.line - 1,
      fix: 'write one `name: value` a line, texts with a colon in quotes',
    })
  if (parsed.value === null) return {}
  if (!isObject(parsed.value))
    return void issues.error('BAD_REPO', 'the fields are no list of `name: value`', {
      file,
      line: at,
      fix: 'write one `name: value` a line',
    })

  const lineOf = (name: string): number =>
    at +
    Math.max(
      0,
      lines.findIndex((one) => one.trimStart().startsWith(`${name}:`)),
    )
  const known = Object.keys(FIELDS)
  const read: Record<string, unknown> = {}
  for (const [written, value] of Object.entries(parsed.value)) {
    const line = lineOf(written)
    const field = SPELLINGS[written] ?? written
    const schema = FIELDS[field]
    const instead = schema || !Object.hasOwn(ELSEWHERE, written) ? undefined : ELSEWHERE[written]
    if (instead !== undefined)
      return void issues.error(
        'BAD_REPO',
        `"${written}" is no field of an agent, which is left out`,
        { file, line, fix: instead },
      )
    if (!schema) {
      const unread = unreadName(field, known)
      tellUnread(
        `"${field}" is no field of an agent`,
        unread,
        { file, line },
        `remove it; there are: ${known.join(', ')}`,
        issues,
      )
      // it would do what its file says that it may not
      if (unread.severity === 'error') return undefined
    } else {
      const fits = schema.safeParse(value)
      if (fits.success) read[field] = fits.data
      else if (field === 'maxDepth' && Number(value) > MOST_LEVELS) {
        return void issues.error(
          'BAD_REPO',
          `maxDepth must be ${LIMITS[field] ?? ''}; the agent is left out`,
          { file, line, fix: `write ${MOST_LEVELS} or less` },
        )
      } else
        issues.error(
          'BAD_REPO',
          `${field} must be ${LIMITS[field] ?? 'another value'}; it is left out`,
          { file, line, fix: 'correct the value' },
        )
    }
  }
  return checkedFields(read, { file, at, lineOf, issues })
}

/** What fields say together. Each of them fits its schema. */
function checkedFields(
  read: Readonly<Record<string, unknown>>,
  {
    file,
    at,
    lineOf,
    issues,
  }: {
    readonly file: string
    readonly at: number
    readonly lineOf: (name: string) => number
    readonly issues: Issues
  },
): Partial<Definition> | undefined {
  const { strict, state, mutable, ...definition } = read
  if (strict === true && definition['maxToolRounds'] === undefined)
    return void issues.error(
      'BAD_REPO',
      'an agent that is `strict` needs `max_tool_rounds`, and is left out',
      {
        file,
        line: lineOf('strict'),
        fix: 'write how many rounds of tools it may take, as in max_tool_rounds: 5',
      },
    )
  const { targetOutputMin: least, targetOutputMax: most } = complete({
    name: '',
    prompt: '',
    ...definition,
  })
  if (least > most)
    issues.warn('BAD_REPO', `targetOutputMin (${least}) is more than targetOutputMax (${most})`, {
      file,
      line: at,
      fix: 'raise the one or lower the other',
    })
  if (state === undefined && mutable === undefined) return definition
  const declared = Object.entries({ state, mutable }).filter(([, value]) => value !== undefined)
  return { ...definition, state: Object.fromEntries(declared) as JsonObject } // by `FIELDS`
}
