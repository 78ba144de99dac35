import type { SideRule } from '../rule.ts';

/** One of the two is not a measurement of a real engine. */
export const simulatedSide: SideRule = {
  code: 'simulated',
  severities: ['info'],
  meaning: {
    en: 'A side was simulated, or measured on a simulated engine: it says what the profile predicts.',
    zh: '一方为模拟结果，或在模拟引擎上测得：它反映引擎配置的预测。',
  },
  taughtBy: 'A prediction beside a measurement looks like one more measurement.',
  check({ summary: { simulated, engine } }) {
    if (!simulated && engine?.simulated !== true) return null;
    return {
      severity: 'info',
      message: simulated
        ? { en: 'simulated, not a measurement of a real engine.', zh: '模拟结果，并非真实引擎的测量值。' }
        : { en: 'measured on a simulated engine, not on a real one.', zh: '在模拟引擎而非真实引擎上测得。' },
      evidence: {},
      advice: {
        en: 'It says what the profile predicts; measure the server before you decide by it.',
        zh: '它反映引擎配置的预测；据此决策前请在服务器上实测。',
      },
    };
  },
};
