/** Reads pages of the web (`fetch_url`), and searches it (`web_search`) where the agent's manifest says with whom. */
export declare const toolsWeb: import("@amodal/sdk").Plugin;
export default toolsWeb;
