/** Many instances on one Postgres. No demo model: without a key it says so. Code of the agent runs only where a start has proved that it is kept apart. */
export declare const production: import("./define-preset.ts").Preset;
export default production;
