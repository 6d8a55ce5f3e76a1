/** Shows the model the agent's bootstrap files: `AGENTS.md`, `SOUL.md` and their like, which other engines know, too. */
export declare const bootstrapFiles: import("@amodal/sdk").Plugin;
export default bootstrapFiles;
