import type { Tracer } from '@amodal/kernel';
/** `changed`: paths such as `sections[memory].body`; ` +` behind what came, ` -` behind what went. */
export type ValueChange = Tracer['changes'][number];
/**
 * Records which tap changed what, for inspection: why is this line in my prompt, who removed that tool?
 * Values are copied before each tap, so it is for development and for hunts, not for every day.
 *
 * @example
 * const made = await Kernel.create(entries, { trace: traceValues() })
 */
export declare function traceValues(): Tracer;
