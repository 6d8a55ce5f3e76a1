import { hashOf, type AgentBundle, type BundleFile, type Json } from '@amodal/sdk'
import {
  compare,
  Issues,
  readJsonObject,
  refuseUnknown,
  shaped,
  type JsonFile,
} from '@amodal/sdk/files'
import { BASE, isOnline, PART, type Experiment, type Variant } from '../definition.ts'
import { readVariant, refuseGuarded } from './read-variant.ts'
import { FIELDS, NAME, shape, type WrittenExperiment } from './shape.ts'

const FILE = /^experiments\/([^/]+)\.json$/
/** Looks like an experiment, and is not read as one. */
const OTHER = /^experiments\/[^/]+\.(?:ya?ml|toml|[mc]?[jt]s)$/i

/**
 * Reads `experiments/<name>.json`. What is wrong with one is named with its line and takes nothing
 * but this one out.
 *
 * @returns the bundle with its experiments, or `undefined` where it has none
 * @example experimentsOf(readExperiments(bundle) ?? bundle).map(({ name }) => name) // ['shorter']
 */
export function readExperiments(bundle: AgentBundle): AgentBundle | undefined {
  const issues = new Issues()
  for (const { path: file } of bundle.files.filter(({ path }) => OTHER.test(path)))
    issues.error('EXPERIMENT_INVALID', 'this file is no experiment', {
      file,
      line: 1,
      fix: 'write it as experiments/<name>.json',
    })
  const found = bundle.files
    .filter(({ path }) => FILE.test(path))
    .sort((a, b) => compare(a.path, b.path))
    .flatMap((file) => readExperiment(file, bundle, issues) ?? [])
  const experiments = withoutOverlaps(found, issues)
  if (experiments.length === 0 && issues.sorted().length === 0) return undefined
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: {
      ...bundle.parts,
      [PART]: JSON.parse(JSON.stringify(experiments)) as Json, // consists of JSON
    },
  }
}

function readExperiment(
  source: BundleFile,
  bundle: AgentBundle,
  issues: Issues,
): Experiment | undefined {
  const name = FILE.exec(source.path)?.[1] ?? ''
  const before = issues.errors
  const json = readJsonObject(source, issues)
  if (!json) return undefined
  if (!NAME.test(name))
    issues.error('EXPERIMENT_INVALID', `"${name}" is no name of an experiment`, {
      file: source.path,
      line: 1,
      fix: 'use letters, digits, _ and -',
    })
  refuseUnknown(json, [], FIELDS, issues)
  const written = shaped(shape, json, [], issues)
  if (!written) return undefined
  for (const variant of Object.keys(written.variants)) refuseGuarded(json, variant, issues)
  const variants = variantsOf(written, json, bundle, issues)
  const experiment = experimentOf({ name, file: source.path }, written, variants)
  checkNames(written, experiment, json, issues)
  checkOnline(experiment, json, issues)
  return issues.errors > before ? undefined : experiment
}

function variantsOf(
  written: WrittenExperiment,
  json: JsonFile,
  bundle: AgentBundle,
  issues: Issues,
): readonly Variant[] {
  const own = Object.entries(written.variants).map(([name, variant]) =>
    readVariant(variant, { json, name, bundle }, issues),
  )
  return own.some(({ name }) => name === BASE)
    ? own
    : [{ name: BASE, skills: [], knowledge: [], changes: [] }, ...own]
}

function experimentOf(
  { name, file }: Pick<Experiment, 'name' | 'file'>,
  written: WrittenExperiment,
  variants: readonly Variant[],
): Experiment {
  const { control = BASE, weights = {}, promoted } = written
  const split = Object.fromEntries(variants.map((one) => [one.name, weights[one.name] ?? 1]))
  // What the files were before a promotion is stored as the base, and changes no figures.
  const own = promoted === undefined ? variants : variants.filter(({ name: one }) => one !== BASE)
  const compared = own.filter(({ changes }) => changes.length > 0)
  const varied = JSON.parse(JSON.stringify({ compared, control, split })) as Json // is JSON
  const { alpha, description, evals, metric, minPrincipals, share, status } = written
  return {
    name,
    file,
    variants,
    control,
    weights: split,
    alpha,
    description,
    evals,
    metric,
    minPrincipals,
    share,
    status,
    version: hashOf(varied).slice(0, 16),
    ...(promoted !== undefined && { promoted }),
  }
}

/** Whatever names a variant names one that there is. */
function checkNames(
  { control, promoted, weights = {} }: WrittenExperiment,
  { variants, file }: Experiment,
  json: JsonFile,
  issues: Issues,
): void {
  const names = variants.map(({ name }) => name)
  const check = (name: string | undefined, path: readonly string[]): void => {
    if (name === undefined || names.includes(name)) return
    issues.error('EXPERIMENT_INVALID', `there is no variant "${name}"`, {
      file,
      line: json.lineOf(path),
      fix: `name one of: ${names.join(', ')}`,
    })
  }
  check(control, ['control'])
  check(promoted, ['promoted'])
  for (const name of Object.keys(weights)) check(name, ['weights', name])
  if (names.length < 2)
    issues.error('EXPERIMENT_INVALID', 'there is nothing to compare', {
      file,
      line: json.lineOf(['variants']),
      fix: 'add a variant beside the base',
    })
}

/** A run cannot take another commit or other settings while the server goes on with its own. */
function checkOnline(experiment: Experiment, json: JsonFile, issues: Issues): void {
  if (experiment.share === 0) return
  for (const { name, commit, settings } of experiment.variants)
    for (const [field, value] of Object.entries({ commit, settings }))
      if (value !== undefined)
        issues.error(
          'EXPERIMENT_INVALID',
          `\`${field}\` of the variant "${name}" cannot be tried on a part of the principals`,
          {
            file: experiment.file,
            line: json.lineOf(['variants', name, field]),
            fix: 'set `share` to 0 and compare with `amodal ops experiment`, or remove it',
          },
        )
}

/** Two experiments on one thing would measure each other: the first by name goes on. */
function withoutOverlaps(found: readonly Experiment[], issues: Issues): readonly Experiment[] {
  const owners = new Map<string, Experiment>()
  return found.filter((experiment) => {
    if (!isOnline(experiment)) return true
    const parts = new Set(experiment.variants.flatMap(partsOf))
    const overlap = [...parts].find((part) => owners.has(part))
    const owner = overlap === undefined ? undefined : owners.get(overlap)
    if (owner) {
      issues.error(
        'EXPERIMENT_INVALID',
        `varies ${overlap ?? ''}, and so does the experiment "${owner.name}" that runs`,
        {
          file: experiment.file,
          line: 1,
          fix: 'stop one of them, or set its `share` to 0',
        },
      )
      return false
    }
    for (const part of parts) owners.set(part, experiment)
    return true
  })
}

const partsOf = ({ knowledge, model, prompt, skills }: Variant): readonly string[] => [
  ...(prompt ? ['the prompt'] : []),
  ...(model ? ['the model'] : []),
  ...skills.map(({ name }) => `the skill "${name}"`),
  ...knowledge.map(({ name }) => `the document "${name}"`),
]
