import type { AgentBundle, BundleFile, Generation, Json, JsonObject, Secrets } from '@amodal/sdk'
import { isList } from '@amodal/sdk'
import {
  checkReferences,
  Issues,
  type JsonFile,
  readJsonObject,
  shaped,
  valueAt,
  warnUnknown,
} from '@amodal/sdk/files'
import type { z } from 'zod'
import { type Automation, PART, type Trigger } from './definition.ts'
import { type ScheduledTool, ScheduledTools } from './tokens.ts'
import { KNOWN, shape } from './fields.ts'
import { readMarkdown } from './read-markdown.ts'
import { isTimeZone, parseSchedule } from './schedule.ts'

const FILE = /^automations\/([^/]+)\.(json|md)$/
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/

type Fields = z.output<typeof shape>

/**
 * Reads `automations/<name>.json`, and the older `automations/<name>.md`. A file with an error is
 * left out; every problem is named with its line.
 *
 * @returns the bundle with its automations, or `undefined` where it has none
 */
export function readAutomations(
  bundle: AgentBundle,
  secrets: Secrets,
  tools: readonly ScheduledTool[] = [],
): AgentBundle | undefined {
  const issues = new Issues()
  const references: AgentBundle['references'][number][] = []
  const found = new Map<string, Automation>()
  for (const file of inOrder(bundle.files)) {
    const [, name = '', ending] = FILE.exec(file.path) ?? []
    if (!NAME.test(name))
      issues.error('BAD_REPO', `"${name}" is no name for an automation`, {
        file: file.path,
        line: 1,
        fix: 'rename the file: letters, digits, "_" and "-", at most 64',
      })
    else if (found.has(name))
      issues.warn('BAD_REPO', `the automation "${name}" is there as JSON, which counts`, {
        file: file.path,
        line: 1,
        fix: 'delete this file',
      })
    else {
      const read =
        ending === 'md'
          ? readMarkdown(name, file, issues)
          : readJsonFile(name, file, { issues, secrets, references })
      if (read) found.set(name, read)
    }
  }
  for (const one of tools) addScheduled(one, found, issues)
  warnOfRoles(bundle, [...found.values()], issues)
  if (found.size === 0 && issues.sorted().length === 0) return undefined
  const automations = JSON.parse(JSON.stringify([...found.values()])) as readonly JsonObject[]
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    references: [...bundle.references, ...references],
    parts: { ...bundle.parts, [PART]: automations },
  }
}

/** The tools of a bundle that run on a schedule. */
export const toolsIn = (
  bundle: AgentBundle,
  generation: () => Generation,
): readonly ScheduledTool[] =>
  [...generation().registry(ScheduledTools).values()].flatMap((of) => of(bundle))

/** A tool with a schedule is an automation, too: it is planned, paused and shown as one. */
function addScheduled(
  { tool, cron, file }: ScheduledTool,
  found: Map<string, Automation>,
  issues: Issues,
): void {
  const name = `tool_${tool}`
  const other = found.get(name)
  if (other) {
    issues.error('DUPLICATE_NAME', `its schedule is called "${name}", as ${other.file} is`, {
      file,
      line: 1,
      fix: 'rename that automation',
    })
    return
  }
  const fields = shape.parse({ prompt: `Scheduled run of the tool ${tool}`, schedule: cron })
  found.set(name, {
    ...automationOf(name, file, 'cron', fields),
    title: tool,
    // Whoever wrote the tool has said what it does.
    writeEnabled: true,
    tool,
  })
}

/** JSON first: it wins over Markdown of the same name. */
function inOrder(files: readonly BundleFile[]): readonly BundleFile[] {
  const own = files.filter(
    ({ path }) => FILE.test(path) && !/^automations\/readme\.md$/i.test(path),
  )
  return [
    ...own.filter(({ path }) => path.endsWith('.json')),
    ...own.filter(({ path }) => path.endsWith('.md')),
  ]
}

interface Around {
  readonly issues: Issues
  readonly secrets: Secrets
  readonly references: AgentBundle['references'][number][]
}

function readJsonFile(
  name: string,
  source: BundleFile,
  { issues, secrets, references }: Around,
): Automation | undefined {
  const json = readJsonObject(source, issues)
  if (!json) return undefined
  const before = issues.errors
  for (const [path, names] of KNOWN)
    for (const place of placesOf(json.value, path)) warnUnknown(json, place, names, issues)
  const fields = shaped(shape, json, [], issues)
  // A text of the prompt may begin with `env:`; only these places hold references.
  for (const part of ['delivery', 'failureAlert', 'webhookAuth'])
    references.push(...checkReferences(partOf(json, part), secrets, issues))
  const trigger = fields && triggerOf(fields, json, issues)
  if (!fields || !trigger || issues.errors > before) return undefined
  return automationOf(name, source.path, trigger, fields)
}

function partOf(json: JsonFile<JsonObject>, name: string): JsonFile {
  const value = json.value[name]
  return { ...json, value: value === undefined ? {} : { [name]: value } }
}

/** `*` in a path stands for each place of a list. */
function placesOf(
  value: Json,
  path: readonly string[],
  at: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  const [name, ...rest] = path
  if (name === undefined) return [at]
  if (name !== '*') return placesOf(value, rest, [...at, name])
  const list = valueAt(value, [...at])
  return isList(list) ? list.flatMap((_, index) => placesOf(value, rest, [...at, index])) : []
}

/** What starts it, where that and its schedule fit together. */
function triggerOf(
  { trigger, schedule, timezone, webhookAuth }: Fields,
  json: JsonFile<JsonObject>,
  issues: Issues,
): Trigger | undefined {
  const inferred = schedule === undefined ? 'manual' : 'cron'
  const started = trigger ?? (webhookAuth && schedule === undefined ? 'webhook' : inferred)
  const at = (field: string, message: string, fix: string): void =>
    issues.error('BAD_REPO', message, { file: json.file, line: json.lineOf([field]), fix })
  const isZone = isTimeZone(timezone)
  if (!isZone)
    at('timezone', `there is no time zone "${timezone}"`, 'write an IANA name: "Europe/Berlin"')
  if (started === 'cron' && schedule === undefined)
    at('trigger', 'it is started by `schedule`, which is missing', 'add "schedule": "0 9 * * 1-5"')
  if (started !== 'cron' && schedule !== undefined)
    at('schedule', `it is started by "${started}", and has a schedule`, 'remove one of both')
  if (started !== 'webhook' && webhookAuth !== undefined)
    at('webhookAuth', `it is started by "${started}": no webhook is checked`, 'remove one of both')
  if (started === 'webhook' && webhookAuth === undefined)
    issues.warn('BAD_REPO', 'no signature is checked: its webhook asks for a credential instead', {
      file: json.file,
      line: json.lineOf(['trigger']),
      fix: 'add "webhookAuth", so that the service which calls it can sign',
    })
  const parsed = schedule !== undefined && isZone ? parseSchedule(schedule, timezone) : undefined
  if (parsed?.ok === false)
    at(
      'schedule',
      `"${schedule ?? ''}" is no cron expression: ${parsed.error}`,
      'write five fields, as in "0 9 * * 1-5" for weekdays at nine',
    )
  return started
}

function automationOf(
  name: string,
  file: string,
  trigger: Trigger,
  { title = name, webhookAuth, overlap, ...fields }: Fields,
): Automation {
  const { secret, ...auth } = webhookAuth ?? { secret: [] }
  return {
    ...fields,
    ...('type' in auth && {
      webhookAuth: { ...auth, secrets: typeof secret === 'string' ? [secret] : secret },
    }),
    name,
    title,
    trigger,
    file,
    // An event that is skipped is lost; a due time comes again.
    overlap: overlap ?? (trigger === 'cron' ? 'skip' : 'parallel'),
  }
}

/** Where there are role files, a run without one may use nothing. */
function warnOfRoles(
  { files }: AgentBundle,
  automations: readonly Automation[],
  issues: Issues,
): void {
  if (!files.some(({ path }) => /^roles\/[^/]+\.json$/.test(path))) return
  for (const { role, file } of automations)
    if (!files.some(({ path }) => path === `roles/${role}.json`))
      issues.warn('BAD_REPO', `there is no role "${role}": its runs can use no tool`, {
        file,
        line: 1,
        fix: `add roles/${role}.json, or name another one in "role"`,
      })
}
