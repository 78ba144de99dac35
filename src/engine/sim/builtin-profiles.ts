import llama3Rtx4090 from '../../../data/engines/llama-3-8b-vllm-rtx4090.json' with { type: 'json' };
import qwen14b910b4 from '../../../data/engines/qwen1.5-14b-mindie-8x910b4.json' with { type: 'json' };
import qwen7b910b4 from '../../../data/engines/qwen1.5-7b-mindie-8x910b4.json' with { type: 'json' };
import qwen72b910b4 from '../../../data/engines/qwen2-72b-mindie-8x910b4.json' with { type: 'json' };
import qwen72bMxc500 from '../../../data/engines/qwen2.5-72b-vllm-4xmxc500.json' with { type: 'json' };
import qwqAtb from '../../../data/engines/qwq-32b-mindie-atb-4x910b3.json' with { type: 'json' };
import qwqMindspore from '../../../data/engines/qwq-32b-mindie-mindspore-4x910b3.json' with { type: 'json' };
import susChatA100 from '../../../data/engines/sus-chat-34b-vllm-4xa100.json' with { type: 'json' };
import susChatV100 from '../../../data/engines/sus-chat-34b-vllm-4xv100.json' with { type: 'json' };
import { userError } from '../../core/index.ts';
import type { EngineProfile } from './engine-profile.ts';
import { readProfile } from './read-profile.ts';

const shipped: readonly unknown[] = [
  qwen7b910b4,
  qwen14b910b4,
  qwen72b910b4,
  qwqAtb,
  qwqMindspore,
  qwen72bMxc500,
  susChatV100,
  susChatA100,
  llama3Rtx4090,
];

/** The profiles that come with llmdyno (data/engines), by name. */
export const builtinProfiles: ReadonlyMap<string, EngineProfile> = new Map(
  shipped.map((value) => readProfile(value)).map((profile) => [profile.name, profile]),
);

/** The profile used where nobody named one. */
export const defaultProfileName = 'qwen1.5-7b-mindie-8x910b4';

/** The built-in profile of that name; a UserError that lists the names when there is none. */
export function builtinProfile(name: string): EngineProfile {
  const profile = builtinProfiles.get(name);
  if (profile !== undefined) return profile;
  const names = [...builtinProfiles.keys()].join(', ');
  throw userError(
    'unknown-profile',
    `there is no engine profile "${name}"`,
    `没有名为 "${name}" 的引擎配置`,
    `Built-in profiles: ${names}.`,
    `内置的引擎配置：${names}。`,
    '--profile',
  );
}
