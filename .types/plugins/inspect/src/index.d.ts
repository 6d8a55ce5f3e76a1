/** Says how the agent fares (`/health`), what it is made of (`/inspect/*`, `/api/config`), and who asks (`/api/me`). */
export declare const inspect: import("@amodal/sdk").Plugin;
export default inspect;
