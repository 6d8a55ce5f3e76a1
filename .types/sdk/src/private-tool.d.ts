import type { Manifest } from './ports/bundle.ts';
import type { ToolDefinition } from './ports/tool.ts';
/**
 * Whether no client sees what a tool gives: the tool says so, or `tools.private` of the manifest names it.
 *
 * @example isPrivateTool({ name: 'look_up_salary' }, { privateTools: ['look_up_*'] }) // true
 */
export declare const isPrivateTool: ({ name, private: declared }: Pick<ToolDefinition, 'name' | 'private'>, { privateTools }: Pick<Manifest, 'privateTools'>) => boolean;
