// For servers: the script that defines `<amodal-chat>`, as a page loads it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The script of the widget: one file for a `<script>` tag.
 *
 * @returns its bytes; rejects where the package was installed without what it has built
 * @example
 * import { widgetScript } from '@amodal/widget/server'
 *
 * const script = await widgetScript()
 */
export const widgetScript = async (): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await readFile(join(import.meta.dirname, '../built/amodal-chat.js')))
