import { type AgentBundle, type ToolDefinition } from '@amodal/sdk';
export declare const READ_SKILL_FILE = "read_skill_file";
/** Whether any skill has files beside its own. */
export declare const haveFiles: (bundle: AgentBundle) => boolean;
/** The tool that reads a file in the folder of a skill, and nothing else: files are looked up among those of the bundle. */
export declare function readSkillFile(bundle: AgentBundle): ToolDefinition;
