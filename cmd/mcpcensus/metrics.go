package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mcpcensus/mcpcensus/crawler/job"
)

// metrics serves Prometheus metrics when an address was given. The returned stop ends the server.
func (a *app) metrics(ctx context.Context) (m *job.Metrics, stop func(), err error) {
	if a.metricsAddr == "" {
		return job.NewMetrics(nil), func() {}, nil
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m = job.NewMetrics(registry)
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", a.metricsAddr)
	if err != nil {
		return nil, nil, usageError(fmt.Errorf("serve metrics on %s: %w", a.metricsAddr, err))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.log().Error("metrics server", "error", err)
		}
	}()
	a.notice(fmt.Sprintf("metrics on http://%s/metrics", listener.Addr()))
	return m, func() { _ = server.Close() }, nil
}
