import { ok, type Plugin } from '@amodal/kernel'
import { definePlugin } from '../define-plugin.ts'
import { BundleSource, type AgentBundle } from '../ports/bundle.ts'
import { Tools, type ToolDefinition } from '../ports/tool.ts'

/**
 * Makes a plugin that gives an agent its files and tools in code, in place of a folder.
 *
 * @param bundle asked anew at each load where it is a function
 * @param tools of the agent
 *
 * @example
 * const started = await startAgent([
 *   use(loop),
 *   use(bundlePlugin(defineBundle({ name: 'desk' }))),
 * ])
 */
export function bundlePlugin(
  bundle: AgentBundle | (() => AgentBundle),
  tools: readonly ToolDefinition[] = [],
): Plugin {
  const load = typeof bundle === 'function' ? bundle : () => bundle
  return definePlugin({
    name: 'bundle-in-code',
    version: '1.0.0',
    provides: [BundleSource],
    setup({ provide, add }) {
      provide(BundleSource, () => ({ where: 'code', load: () => Promise.resolve(ok(load())) }))
      if (tools.length > 0) add(Tools, 'bundle-in-code', { tools: () => tools })
    },
  })
}
