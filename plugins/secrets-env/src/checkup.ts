import { statSync } from 'node:fs'
import { trySync, type Checkup, type InstallationContext } from '@amodal/sdk'
import { KEY_VARIABLE, keyFromText } from './master-key.ts'

/**
 * For `amodal doctor`: where the master key comes from.
 *
 * @param file of the key that is kept in the agent folder
 */
export async function keyCheckup(
  file: string | undefined,
  { secrets }: InstallationContext,
): Promise<readonly Checkup[]> {
  const given = secrets?.get(KEY_VARIABLE)
  if (given !== undefined && given !== '') {
    const key = keyFromText(given)
    return [
      {
        title: `Master key: ${key.ok ? `${key.value.id}, ` : ''}from ${KEY_VARIABLE}`,
        ok: key.ok,
        lines: key.ok ? [] : [key.error.message],
      },
    ]
  }
  if (file === undefined) return [{ title: 'Master key: in memory', ok: true, lines: [] }]
  const found = trySync(
    () => statSync(file),
    () => undefined,
  )
  const lines = [
    `several instances need the same key: keep it in ${KEY_VARIABLE} instead, and with the backup`,
  ]
  return found.ok ? [{ title: `Master key: from ${file}`, ok: true, lines }] : []
}
