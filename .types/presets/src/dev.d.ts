/** One laptop: embedded database, loopback only, a demo model where no key is set. */
export declare const dev: import("./define-preset.ts").Preset;
export default dev;
