export { History } from './history.ts';
export { project } from './project.ts';
export { DEFAULT_SETTINGS, RuntimeSettings } from './settings.ts';
/** Runs the agent: turns on lanes, the handlers of all states, readers, recovery. Everything else asks its `Agent`. */
export declare const loop: import("@amodal/sdk").Plugin;
export default loop;
