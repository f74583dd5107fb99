// Package rate turns counts into published rates with honest uncertainty.
//
// Every number that the census publishes is one [Row] (or, for the distribution of a label, one [Breakdown]): a
// numerator, a denominator, what left it and why, and three separate uncertainties that are never merged into one:
//
//   - nonresponse: bounds over everything eligible ([Manski]);
//   - classification: the audit of a heuristic, without which no interval is printed;
//   - generalisation: an interval across operators ([Cluster]), and the rate in which each publisher counts once
//     ([PublisherWeighted]).
//
// The functions take integers and are deterministic: the order of their input does not change a bit of the output, and
// products are rounded before they are added (float64(x*y)+z), so that a fused multiply-add of the machine cannot change
// it either. What is published is rounded to six significant digits.
package rate
