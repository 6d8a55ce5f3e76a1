import type { Json } from '@amodal/kernel'
import type { AgentBundle, BundleIssue } from '../ports/bundle.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Issues } from './issues.ts'
import { isList, isObject } from '../json.ts'
import { pathText, placeOf, type JsonFile } from './json-file.ts'
import type { Path } from './json-text.ts'

type References = AgentBundle['references']

/**
 * Every `env:NAME` of a file with whether it is set. Values are looked at and forgotten: what goes
 * on is the reference.
 *
 * @param severity of a variable that is not set: `warning` where the part loads without it, and
 *   only what needs its value fails
 */
export function checkReferences(
  json: JsonFile,
  secrets: Secrets,
  issues: Issues,
  severity: BundleIssue['severity'] = 'error',
): References {
  const report: Issues['error'] = (...issue) =>
    severity === 'error' ? issues.error(...issue) : issues.warn(...issue)
  return [...strings(json.value)].flatMap(({ text, path }) => {
    if (!text.startsWith('env:')) return []
    const place = placeOf(json, path)
    const name = /^env:([A-Za-z_]\w*)$/.exec(text)?.[1]
    if (name === undefined) {
      // A sentence may begin with the same four letters; a single word is meant as a reference.
      if (!/\s/.test(text))
        issues.error('ENV_NOT_SET', `\`${pathText(path)}\` names no variable`, {
          ...place,
          fix: 'write env:NAME with letters, digits and _',
        })
      return []
    }
    const where = `${place.file}:${place.line}`
    // The code that uses it decides whether it is a secret.
    const set = secrets.resolve(text, where, 'address').ok
    if (!set)
      report('ENV_NOT_SET', `the variable ${name} is not set (\`${pathText(path)}\`)`, {
        ...place,
        fix: `set ${name} in the environment or in .env`,
      })
    return [{ name, set, where }]
  })
}

function* strings(
  value: Json,
  path: Path = [],
): Generator<{ readonly text: string; readonly path: Path }> {
  if (typeof value === 'string') yield { text: value, path }
  else if (isList(value))
    for (const [index, item] of value.entries()) yield* strings(item, [...path, index])
  else if (isObject(value))
    for (const [name, item] of Object.entries(value)) yield* strings(item, [...path, name])
}
