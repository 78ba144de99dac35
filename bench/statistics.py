"""Reads what bench/statistics.mjs wrote and computes the same with NumPy and SciPy; prints the largest differences."""
import json
import math
import sys

import numpy as np
from scipy import stats

with open(f'{sys.argv[1]}/samples.json', encoding='utf-8') as file:
    data = json.load(file)

worst = {'percentiles': 0.0, 'mean': 0.0, 'student': 0.0, 'batch means': 0.0, 'bootstrap': 0.0}
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

    if ours['batchMeans'] is not None:
        batches = ours['batchMeans']['batches']
        length = n // batches
        means = values[n - length * batches:].reshape(batches, length).mean(axis=1)
        squares = ((means - means.mean()) ** 2).sum()
        left = 0.0 if squares == 0 else max(0.0, 1 - (np.diff(means) ** 2).sum() / (2 * squares))
        half = stats.t.ppf(0.975, batches - 1) * means.std(ddof=1) / math.sqrt(batches) * math.sqrt((1 + left) / (1 - left))
        scale = max(half, 1e-12)
        for key, theirs in (('low', values.mean() - half), ('high', values.mean() + half)):
            worst['batch means'] = max(worst['batch means'], abs(ours['batchMeans'][key] - theirs) / scale)

    if n >= 20:
        interval = stats.bootstrap((values,), np.mean, n_resamples=9999, method='percentile', random_state=1).confidence_interval
        width = interval.high - interval.low
        for mine, theirs in zip(ours['bootstrapMean'], (interval.low, interval.high)):
            worst['bootstrap'] = max(worst['bootstrap'], abs(mine - theirs) / width)

for p, freedom, mine in data['student']:
    worst['student'] = max(worst['student'], abs(mine / stats.t.ppf(p, freedom) - 1))

print(f'NumPy {np.__version__}')
for name, value in worst.items():
    unit = 'of the interval width' if name == 'bootstrap' else 'relative'
    print(f'| {name} | {value:.2g} {unit} |')
print(f'| order-statistic intervals | {order_differs} differ |')
