import {
  isObject,
  type AgentBundle,
  type AgentInstructions,
  type BundleFile,
  type KnowledgeDocument,
  type ModelConfig,
  type Skill,
} from '@amodal/sdk'
import {
  Issues,
  placeOf,
  refuseUnknown,
  valueAt,
  type JsonFile,
  type Path,
} from '@amodal/sdk/files'
import {
  readInstructions,
  readKnowledge,
  readSkills,
  refuseUnreadInstructions,
} from '@amodal/plugin-repo-files/tokens'
import type { Change } from '@amodal/plugin-evals/tokens'
import type { Variant } from '../definition.ts'
import { guardedSettings } from './guarded.ts'
import { VARIANT_FIELDS, type WrittenVariant } from './shape.ts'
import { forwardIssues, sourceText, type SourceText } from './variant-text.ts'

/** Parts of an agent that protect it, as somebody might name them in a variant. */
const GUARDED: readonly string[] = [
  'access',
  'confirmations',
  'connections',
  'guards',
  'limits',
  'plugins',
  'roles',
  'security',
  'tools',
]

interface Place {
  readonly json: JsonFile
  readonly name: string
  readonly bundle: AgentBundle
}

/** Names what a variant would change and must not. */
export function refuseGuarded(json: JsonFile, name: string, issues: Issues): void {
  const at = ['variants', name]
  const value = valueAt(json.value, at)
  if (!isObject(value)) return
  for (const field of Object.keys(value).filter((one) => GUARDED.includes(one)))
    issues.error(
      'EXPERIMENT_GUARDED',
      `\`variants.${name}.${field}\` would change what protects the agent`,
      { ...placeOf(json, [...at, field]), fix: 'remove it: it is the same for everybody' },
    )
  refuseUnknown(json, at, [...VARIANT_FIELDS, ...GUARDED], issues)
  const settings = value['settings']
  if (!isObject(settings)) return
  for (const { path, why } of guardedSettings(settings))
    issues.error('EXPERIMENT_GUARDED', `\`settings.${path.join('.')}\` ${why}`, {
      ...placeOf(json, [...at, 'settings', ...path]),
      fix: 'remove it: it is the same for everybody',
    })
}

/** Reads a variant with the texts that it names; what is wrong becomes an issue with its line. */
export function readVariant(written: WrittenVariant, place: Place, issues: Issues): Variant {
  const changes: Change[] = []
  const prompt = readPrompt(written.prompt, place, changes, issues)
  const skills = Object.entries(written.skills).flatMap(([skill, value]) =>
    readSkill(skill, value, place, changes, issues),
  )
  const knowledge = Object.entries(written.knowledge).flatMap(([document, value]) =>
    readDocument(document, value, place, changes, issues),
  )
  const model = readModel(written.model, place, issues)
  const { commit, description, settings } = written
  changes.push(
    ...modelChanges(written.model),
    ...(settings ? [{ kind: 'settings' as const, settings, source: place.json.file }] : []),
    ...(commit === undefined ? [] : [{ kind: 'commit' as const, commit }]),
  )
  return {
    name: place.name,
    skills,
    knowledge,
    changes,
    ...(description !== undefined && { description }),
    ...(prompt && { prompt }),
    ...(model && { model }),
    ...(settings && { settings }),
    ...(commit !== undefined && { commit }),
  }
}

/** Reads a text as the file of the agent that it would be. */
function readAs<T>(
  path: string,
  source: SourceText,
  place: Place,
  read: (file: BundleFile, issues: Issues) => T,
  issues: Issues,
): T | undefined {
  const own = new Issues()
  const value = read({ path, text: source.text }, own)
  const isUsable = forwardIssues(own.sorted(), source, source.file !== place.json.file, issues)
  return isUsable ? value : undefined
}

function readPrompt(
  value: string | undefined,
  place: Place,
  changes: Change[],
  issues: Issues,
): AgentInstructions | undefined {
  if (value === undefined) return undefined
  const source = sourceText(value, { ...place, path: pathIn(place, 'prompt') }, issues)
  if (!source) return undefined
  const file = place.bundle.instructions?.file ?? 'agents/main/AGENT.md'
  changes.push({ kind: 'prompt', content: source.text, source: source.file })
  return readAs(
    file,
    source,
    place,
    (one, own) => {
      refuseUnreadInstructions([one], own)
      return readInstructions([one], own)
    },
    issues,
  )
}

function readSkill(
  name: string,
  value: string,
  place: Place,
  changes: Change[],
  issues: Issues,
): readonly Skill[] {
  const path = pathIn(place, 'skills', name)
  // A skill that some roles do not see stays hidden from them, so only known ones are varied.
  const current = place.bundle.skills.find((skill) => skill.name === name)
  if (!current) return unknown(place, path, `skill "${name}"`, place.bundle.skills, issues)
  const source = sourceText(value, { ...place, path }, issues)
  if (!source) return []
  changes.push({ kind: 'skill', name, content: source.text, source: source.file })
  const [skill] =
    readAs(current.file, source, place, (file, own) => readSkills([file], own), issues) ?? []
  if (!skill) return []
  if (skill.name === name) return [skill]
  issues.error('EXPERIMENT_INVALID', `the text is of the skill "${skill.name}", not "${name}"`, {
    file: source.file,
    line: source.line,
    fix: `name it "${name}": what a variant changes is the skill of this name`,
  })
  return []
}

function readDocument(
  name: string,
  value: string,
  place: Place,
  changes: Change[],
  issues: Issues,
): readonly KnowledgeDocument[] {
  const path = pathIn(place, 'knowledge', name)
  const { knowledge } = place.bundle
  const current = knowledge.find((document) => document.name === name)
  if (!current) return unknown(place, path, `document "${name}"`, knowledge, issues)
  const source = sourceText(value, { ...place, path }, issues)
  if (!source) return []
  changes.push({ kind: 'knowledge', name, content: source.text, source: source.file })
  return (
    readAs(current.file, source, place, (file, own) => readKnowledge([file], own), issues) ?? []
  )
}

function unknown(
  { json }: Place,
  path: Path,
  what: string,
  known: readonly { readonly name: string }[],
  issues: Issues,
): readonly [] {
  issues.error('EXPERIMENT_INVALID', `the agent has no ${what}`, {
    ...placeOf(json, path),
    fix: `name one of: ${known.map(({ name }) => name).join(', ') || 'none'}`,
  })
  return []
}

function readModel(
  written: WrittenVariant['model'],
  place: Place,
  issues: Issues,
): ModelConfig | undefined {
  if (written === undefined) return undefined
  const { main } = place.bundle.manifest.models
  const change = typeof written === 'string' ? named(written) : written
  const { provider = main?.provider, model = main?.model } = change
  if (provider === undefined || model === undefined) {
    issues.error('EXPERIMENT_INVALID', 'the model has no name to change the settings of', {
      ...placeOf(place.json, pathIn(place, 'model')),
      fix: 'add `provider` and `model`, or `models.main` to amodal.json',
    })
    return undefined
  }
  // Another model of the same account: its address and its key are the same.
  const same = Object.values(place.bundle.manifest.models).find((one) => one.provider === provider)
  const account = provider === main?.provider ? main : same
  const { fallback: _, ...config } = account ?? { provider, model }
  return { ...config, ...change, provider, model }
}

/** Another model, and settings of it. */
function modelChanges(written: WrittenVariant['model']): readonly Change[] {
  if (written === undefined) return []
  if (typeof written === 'string') return [{ kind: 'model', model: written }]
  const { model, provider, ...settings } = written
  const name = [provider, model].filter((one) => one !== undefined).join('/')
  return [
    ...(model === undefined ? [] : [{ kind: 'model' as const, model: name }]),
    ...(Object.keys(settings).length === 0
      ? []
      : [{ kind: 'settings' as const, settings: { models: { main: settings } } }]),
  ]
}

const named = (text: string): { readonly provider: string; readonly model: string } => {
  const at = text.indexOf('/')
  return { provider: text.slice(0, at), model: text.slice(at + 1) }
}

const pathIn = ({ name }: Place, ...rest: readonly string[]): Path => ['variants', name, ...rest]
