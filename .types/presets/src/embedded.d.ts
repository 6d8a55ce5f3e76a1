/** For `createAgent`: no server, everything in memory, files given in code or from a folder. */
export declare const embedded: import("./define-preset.ts").Preset;
export default embedded;
