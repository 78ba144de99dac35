"""Reads what bench/statistics.mjs wrote and computes the same with NumPy and SciPy; prints the largest differences."""
import json
import math
import sys

import numpy as np
from scipy import stats

with open(f'{sys.argv[1]}/samples.json', encoding='utf-8') as file:
    data = json.load(file)

worst = {'percentiles': 0.0, 'mean': 0.0, 'student': 0.0}
order_differs = 0
for name, values in data['samples'].items():
    values = np.array(values)
    ours = data['ours'][name]
    for rank in (50, 66, 75, 80, 90, 95, 98, 99):
        theirs = np.percentile(values, rank, method='linear')
        worst['percentiles'] = max(worst['percentiles'], abs(ours['distribution'][f'p{rank}'] / theirs - 1) if theirs else 0)
    worst['mean'] = max(worst['mean'], abs(ours['distribution']['mean'] - values.mean()) / max(1, abs(values.mean())))

    ascending = np.sort(values)
    n = len(values)
    for q, mine in zip((0.5, 0.9, 0.99), ours['orderStatistics']):
        low = max(k for k in range(0, n + 1) if k == 0 or stats.binom.cdf(k - 1, n, q) <= 0.025)
        high = next((u for u in range(1, n + 1) if stats.binom.sf(u - 1, n, q) <= 0.025), None)
        theirs = None if low < 1 or high is None else [ascending[low - 1], ascending[high - 1]]
        order_differs += theirs != mine

for p, freedom, mine in data['student']:
    worst['student'] = max(worst['student'], abs(mine / stats.t.ppf(p, freedom) - 1))

print(f'NumPy {np.__version__}')
for name, value in worst.items():
    print(f'| {name} | {value:.2g} relative |')
print(f'| order-statistic intervals | {order_differs} differ |')


def figure(run, word, weights):
    """The figure of a run whose stretches count as often as the weights say."""
    if word == 'outputTokensPerSec':
        return np.dot(weights, run['tokens']) / np.dot(weights, run['seconds'])
    times = np.repeat(run['values'], weights[run['slice']])
    return times.mean() if word.endswith('.mean') else np.percentile(times, float(word.split('.p')[1]), method='linear')


def standard_error(run, word, q, random):
    """Of the logarithm: stretches drawn again, widened by what neighbours share, at least the order statistics' width; and that of runs."""
    return math.hypot(own_error(run, word, q, random), 0.01)


def own_error(run, word, q, random):
    n = run['count']
    draws = [math.log(figure(run, word, np.bincount(random.integers(0, n, n), minlength=n))) for _ in range(4000)]
    spread = np.std(draws, ddof=1) * math.sqrt(n / (n - 1))
    if word == 'outputTokensPerSec':
        tokens, seconds = np.array(run['tokens']), np.array(run['seconds'])
        parts = tokens - tokens.sum() / seconds.sum() * seconds
    else:
        surplus = run['values'] - run['values'].mean() if q is None else (run['values'] <= np.percentile(run['values'], 100 * q)) - q
        parts = np.bincount(run['slice'], weights=surplus, minlength=n)
    centred = parts - parts.mean()
    left = max(0.0, 1 - (np.diff(parts) ** 2).sum() / (2 * (centred ** 2).sum()))
    spread *= math.sqrt((1 + left) / (1 - left))
    if q is None:
        return spread
    ascending, all_values = np.sort(run['values']), len(run['values'])
    alike = max(1.0, (parts ** 2).sum() * n / ((n - 1) * all_values * q * (1 - q)))
    m = int(all_values / alike)
    low = max(k for k in range(1, m + 1) if stats.binom.cdf(k - 1, m, q) <= 0.025)
    high = next(u for u in range(1, m + 1) if stats.binom.sf(u - 1, m, q) <= 0.025)
    low, high = math.floor((low - 1) * all_values / m), math.ceil(high * all_values / m) - 1
    return max(spread, (math.log(ascending[high]) - math.log(ascending[low])) / (2 * 1.96))


random = np.random.default_rng(7)
worst_p, worst_edge, disagree = 0.0, 0.0, 0
for pair in data['pairs']:
    word, q = pair['word'], None
    if '.p' in word:
        q = float(word.split('.p')[1]) / 100
    runs = pair['data']
    for run in runs:
        if 'values' in run:
            run['values'], run['slice'] = np.array(run['values']), np.array(run['slice'])
    errors = [standard_error(run, word, q, random) for run in runs]
    ones = [np.ones(run['count'], dtype=int) for run in runs]
    middle = math.log(figure(runs[1], word, ones[1]) / figure(runs[0], word, ones[0]))
    error = math.hypot(*errors)
    freedom = min(run['count'] for run in runs) - 1
    p_value = 2 * stats.t.sf(abs(middle) / error, freedom)
    half = stats.t.ppf(0.975, freedom) * error
    mine = pair['change']
    worst_p = max(worst_p, abs(mine['pValue'] - p_value))
    for edge, theirs in zip(mine['interval'], (math.expm1(middle - half), math.expm1(middle + half))):
        worst_edge = max(worst_edge, abs(edge - theirs) / (2 * half))
    disagree += mine['significant'] != (p_value < 0.05)
print(f"| change between two runs, {len(data['pairs'])} of them | p-values within {worst_p:.2g}, ends of intervals within {100 * worst_edge:.1f} % of their width, {disagree} judged otherwise |")

with open(f'{sys.argv[1]}/false-alarms.json', encoding='utf-8') as file:
    alarms = json.load(file)
print('false alarms on null data, and how likely so many are if the true share is 5 %:')
for one in alarms:
    chance = stats.binomtest(one['alarms'], one['told'], 0.05, alternative='greater').pvalue
    print(f"| {one['word']} | {one['concurrency']} in flight | {one['alarms']} of {one['told']} | {chance:.2g} |")
