import { type Issues, type JsonFile, type Path, placeOf, valueAt } from '@amodal/sdk/files'

/** Warns of a connection whose content counts as the owner's own words. */
export function warnTrusted(json: JsonFile, at: Path, issues: Issues): void {
  const here = [...at, 'trusted']
  if (valueAt(json.value, here) !== true) return
  issues.warn(
    'CONNECTION_TRUSTED',
    'what this connection returns may choose recipients, targets and amounts of writes without an approval',
    {
      ...placeOf(json, here),
      fix: 'keep it where only you write into that system; else remove `trusted`',
    },
  )
}
